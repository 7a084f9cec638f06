"""The emulated board on an ordinary computer; `hw.emulated.board.emulated_board` creates one."""
