import { useLayoutEffect, useRef } from 'preact/hooks'

interface HalfCheckboxProps {
  readonly extent: 'none' | 'some' | 'all'
  readonly isDisabled: boolean
  /** Without it, the element needs a label around it. */
  readonly label?: string
  /** Keys that press it (`aria-keyshortcuts`). */
  readonly keys?: string | undefined
  readonly onChange: (isOn: boolean) => void
}

/** HTML has no attribute for a half-checked checkbox: only a script can set it. */
export function HalfCheckbox({ extent, isDisabled, label, keys, onChange }: HalfCheckboxProps) {
  const box = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (box.current !== null) box.current.indeterminate = extent === 'some'
  }, [extent])
  return (
    <input
      ref={box}
      type="checkbox"
      checked={extent === 'all'}
      disabled={isDisabled}
      aria-label={label}
      aria-keyshortcuts={keys}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
