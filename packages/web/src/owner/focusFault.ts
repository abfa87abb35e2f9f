/** Brings whoever sent a form to the first thing that is wrong in it, once it is drawn; a fault inside of what is folded unfolds it. */
export function focusFault(form: HTMLFormElement): void {
  requestAnimationFrame(() => {
    const faulty = form.querySelector<HTMLElement>('[aria-invalid=true]')
    const folded = faulty?.closest('details')
    if (folded) folded.open = true
    faulty?.focus()
  })
}
