"""The correction step of a Kalman filter for one scalar measurement, in plain lists and single precision."""


def correct(state, covariance, row, innovation: float, variance: float, fixed: int = -1) -> None:
    """Correct `state` [n] and `covariance` [n][n] in place by a measurement of `row` times the state.

    `innovation`: the measurement minus its prediction; `variance`: of its noise. The state `fixed` stays as
    it is, and so does its own variance; -1: none.
    """
    count = len(state)
    spread, total = [], variance
    for i in range(count):
        shared = 0.0
        for j in range(count):
            shared += covariance[i][j] * row[j]
        spread.append(shared)
        total += row[i] * shared
    if total <= 0:
        return
    gains = []
    for i in range(count):
        gains.append(0.0 if i == fixed else spread[i] / total)
        state[i] += gains[i] * innovation
        for j in range(i + 1):
            change = gains[i] * gains[j] * total - gains[i] * spread[j] - gains[j] * spread[i]
            covariance[i][j] += change
            covariance[j][i] = covariance[i][j]
    for i in range(count):
        if covariance[i][i] < 0:  # by rounding
            for j in range(count):
                covariance[i][j] = covariance[j][i] = 0.0
