/** Where the focus goes when what had it is gone: the page's heading. */
export function focusHeading(): void {
  document.querySelector('h1')?.focus()
}
