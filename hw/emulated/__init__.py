"""The board's twin on an ordinary computer. `hw.emulated.board.emulated_board` makes one."""
