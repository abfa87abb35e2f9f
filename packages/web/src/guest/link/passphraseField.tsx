import { PassphraseField as CommonField } from '../../common/controls/passphraseField.tsx'
import { useText } from '../../common/language/reader.ts'
import { guestTexts } from '../ground/texts.ts'

interface PassphraseFieldProps {
  readonly value: string
  readonly fault?: string | undefined
  readonly onInput: (text: string) => void
}

export function PassphraseField(props: PassphraseFieldProps) {
  return <CommonField {...props} words={useText(guestTexts).message} />
}
