import { useEffect, useRef } from 'preact/hooks'

/** A row that goes takes the focus with it; then the heading has it, and the keyboard is not thrown back to the top of the document. */
export function useFocusKept(rows: unknown) {
  const part = useRef<HTMLDivElement>(null)
  const hadFocus = useRef(false)
  useEffect(() => {
    const note = () => {
      hadFocus.current = part.current?.contains(document.activeElement) ?? false
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [])
  useEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return
    part.current?.querySelector('h1')?.focus()
  }, [rows])
  return part
}
