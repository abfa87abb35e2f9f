import { PassphraseField as CommonField } from '../common/passphraseField.tsx'
import { useGuestPages } from './texts.ts'

interface PassphraseFieldProps {
  readonly value: string
  readonly fault?: string | undefined
  readonly onInput: (text: string) => void
}

export function PassphraseField(props: PassphraseFieldProps) {
  return <CommonField {...props} words={useGuestPages().text.message} />
}
