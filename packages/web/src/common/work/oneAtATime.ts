/** Calls during the work lead to one more run of it, however many there are. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isRunning = false
  let isAskedAgain = false
  return async () => {
    isAskedAgain = true
    if (isRunning) return
    isRunning = true
    try {
      while (isAskedAgain) {
        isAskedAgain = false
        await work()
      }
    } finally {
      isRunning = false
    }
  }
}
