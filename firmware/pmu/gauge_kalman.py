"""The correction step of a Kalman filter for one scalar measurement, in plain lists and single precision."""


def correct(state, covariance, row, innovation: float, variance: float, learn: int = -1) -> None:
    """Correct `state` [n] and `covariance` [n][n] in place by a measurement of `row` times the state.

    `innovation`: the measurement minus its prediction; `variance`: of its noise. Only the first `learn`
    states are corrected; -1: all.
    """
    count = len(state)
    spread = [sum(covariance[i][j] * row[j] for j in range(count)) for i in range(count)]
    total = variance + sum(row[i] * spread[i] for i in range(count))
    if total <= 0:
        return
    gains = [spread[i] / total if learn < 0 or i < learn else 0.0 for i in range(count)]
    for i in range(count):
        state[i] += gains[i] * innovation
        for j in range(i + 1):
            change = gains[i] * gains[j] * total - gains[i] * spread[j] - gains[j] * spread[i]
            covariance[i][j] += change
            covariance[j][i] = covariance[i][j]
    for i in range(count):
        if covariance[i][i] < 0:  # by rounding
            for j in range(count):
                covariance[i][j] = covariance[j][i] = 0.0
