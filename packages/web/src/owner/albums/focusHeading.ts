/** Moves the focus to the page's heading, for example when the focused element was removed. */
export function focusHeading(): void {
  document.querySelector('h1')?.focus()
}
