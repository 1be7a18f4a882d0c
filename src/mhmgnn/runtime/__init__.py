"""What a running program needs around it: threads, the console, other processes, random streams, memory."""
