"""What a running program needs: threads, the console, other processes, random streams, memory."""
