/** Texts on a terminal. */

/** A text from elsewhere, so that it cannot move the cursor or turn the direction of what stands behind it. */
export function shown(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\uFFFD')
}

/** `12 s`, `4 min`, `2 h 10 min`. */
export function durationText(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
