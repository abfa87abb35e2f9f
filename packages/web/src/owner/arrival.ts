let hasArrived = false

/**
 * True once: the first thing that a page shows begins where browsers begin. Whatever takes its place later has to bring the focus to where the attention
 * goes, as nobody else does in a page that is never loaded anew.
 */
export function isArrival(): boolean {
  const isFirst = !hasArrived
  hasArrived = true
  return isFirst
}
