import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { focusFault } from '../../common/drawing/focusFault.ts'

interface CheckedFormProps {
  readonly isComplete: boolean
  /** Called only when the form is complete. */
  readonly onSubmit: () => void
  /** An error that is shown at one of the fields: the field gets the focus. */
  readonly fieldError?: unknown
  /** Whether the first field that can be changed gets the focus when the form appears. */
  readonly focusesFirst?: boolean | undefined
  /** `hasTried`: the user has tried to submit, so the fields show their faults. */
  readonly children: (hasTried: boolean) => ComponentChildren
}

/** A form that is submitted only when it is complete; otherwise the first field with a fault gets the focus. */
export function CheckedForm({ isComplete, onSubmit, fieldError, focusesFirst, children }: CheckedFormProps) {
  const [hasTried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (focusesFirst === true) form.current?.querySelector<HTMLElement>('input:not([readonly]), textarea')?.focus()
  }, [])
  useEffect(() => {
    if (fieldError !== undefined && form.current !== null) focusFault(form.current)
  }, [fieldError])
  return (
    <form
      ref={form}
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (isComplete) onSubmit()
        else focusFault(event.currentTarget)
      }}
    >
      {children(hasTried)}
    </form>
  )
}
