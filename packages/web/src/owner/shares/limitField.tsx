import { MAX_SHARE_DOWNLOADS } from '@blindkeep/protocol/suites'
import { Field } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { sharesTexts } from '../ground/texts.ts'

/** Undefined for none. */
export function limitOf(typed: string): number | undefined | 'wrong' {
  const digits = typed.trim()
  if (digits === '') return undefined
  const limit = /^\d{1,3}$/.test(digits) ? Number(digits) : 0
  return 1 <= limit && limit <= MAX_SHARE_DOWNLOADS ? limit : 'wrong'
}

interface LimitFieldProps {
  readonly typed: string
  readonly onTyped: (typed: string) => void
}

export function LimitField({ typed, onTyped }: LimitFieldProps) {
  const text = useText(sharesTexts).limit
  return (
    <Field
      label={text.field}
      hint={text.hint}
      fault={limitOf(typed) === 'wrong' ? text.fault(MAX_SHARE_DOWNLOADS) : undefined}
    >
      {(input) => (
        <input
          {...input}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onInput={(event) => onTyped(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
