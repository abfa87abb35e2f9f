import { useEffect, useRef } from 'preact/hooks'

/** When the row with the focus is removed, the heading gets the focus. Otherwise the keyboard would start at the top of the document. */
export function useHeadingFallback(rows: unknown) {
  const part = useRef<HTMLDivElement>(null)
  const hadFocus = useRef(false)
  useEffect(() => {
    const update = () => {
      hadFocus.current = part.current?.contains(document.activeElement) ?? false
    }
    document.addEventListener('focusin', update)
    return () => document.removeEventListener('focusin', update)
  }, [])
  useEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return
    part.current?.querySelector('h1')?.focus()
  }, [rows])
  return part
}
