/** The end of a form or of a question, in sight in each dialog: the button that it is for, and the way back. */
import { Button, DialogEnd } from '../../common/controls/controls.tsx'
import type { IconName } from '../../common/controls/icons.tsx'
import { useText } from '../../common/language/reader.ts'
import { accountTexts } from '../ground/texts.ts'

interface FormButtonsProps {
  /** What the button says. */
  readonly submit: string
  readonly kind?: 'primary' | 'danger' | undefined
  readonly icon?: IconName | undefined
  readonly isBusy: boolean
  /** Absent in a form, which is submitted. */
  readonly onSubmit?: (() => void) | undefined
  readonly onCancel: () => void
}

export function FormButtons({ submit, kind = 'primary', icon, isBusy, onSubmit, onCancel }: FormButtonsProps) {
  const text = useText(accountTexts).page
  return (
    <DialogEnd>
      <Button kind={kind} icon={icon} submits={onSubmit === undefined} busy={isBusy} onClick={onSubmit}>
        {submit}
      </Button>
      <Button kind="quiet" disabled={isBusy} onClick={onCancel}>
        {text.cancel}
      </Button>
    </DialogEnd>
  )
}
