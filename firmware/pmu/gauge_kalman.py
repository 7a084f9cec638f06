"""One scalar measurement taken into an estimate of a few numbers: the correction step of a Kalman filter,
in plain lists, fit for single-precision floats.
"""


def correct(state, covariance, row, surprise: float, variance: float, learn: int = -1) -> None:
    """Change `state` [n] and `covariance` [n][n] in place for a measurement of `row` times the state.

    `surprise` is the measurement less what the state predicts, `variance` that of its noise. Only the first
    `learn` numbers of the state are corrected; -1: all.
    """
    count = len(state)
    spread = [sum(covariance[i][j] * row[j] for j in range(count)) for i in range(count)]
    total = variance + sum(row[i] * spread[i] for i in range(count))
    if total <= 0:
        return
    gains = [spread[i] / total if learn < 0 or i < learn else 0.0 for i in range(count)]
    for i in range(count):
        state[i] += gains[i] * surprise
        for j in range(i + 1):
            change = gains[i] * gains[j] * total - gains[i] * spread[j] - gains[j] * spread[i]
            covariance[i][j] += change
            covariance[j][i] = covariance[i][j]
    for i in range(count):
        if covariance[i][i] < 0:  # rounding; an unknown must not become better known than exactly
            for j in range(count):
                covariance[i][j] = covariance[j][i] = 0.0
