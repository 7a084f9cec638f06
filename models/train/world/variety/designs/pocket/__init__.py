"""What is carried in a pocket: keys, wallets and phones, in six forms each."""
