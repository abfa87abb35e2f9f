import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { guestTexts } from '../ground/texts.ts'
import { Confirm } from './confirm.tsx'

interface ConfirmCancelProps {
  readonly file: { readonly name: string; readonly arrivedBytes: number; readonly totalBytes: number }
  readonly onYes: () => void
  readonly onClose: () => void
}

/** Asks before the upload is cancelled. Shown only when the server has a part of the file, which it then deletes. */
export function ConfirmCancel({ file, onYes, onClose }: ConfirmCancelProps) {
  const format = useText(formats)
  const text = useText(guestTexts)
  const { title, yes, no } = text.confirm
  return (
    <Confirm {...{ title, yes, no, onYes, onClose }}>
      <p>
        <bdi>{text.confirm.text(file.name, format.percent(file.arrivedBytes, file.totalBytes))}</bdi>
      </p>
    </Confirm>
  )
}
