/** Focuses the first field with a fault, after the next drawing. Unfolds the `details` around it. */
export function focusFault(form: HTMLFormElement): void {
  requestAnimationFrame(() => {
    const faulty = form.querySelector<HTMLElement>('[aria-invalid=true]')
    const folded = faulty?.closest('details')
    if (folded) folded.open = true
    faulty?.focus()
  })
}
