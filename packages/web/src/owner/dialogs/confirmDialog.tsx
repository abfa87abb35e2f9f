/** Asks before something is lost. Stays open with the error until the work succeeds. */
import type { ComponentChildren } from 'preact'
import { Dialog } from '../../common/controls/controls.tsx'
import type { IconName } from '../../common/controls/icons.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { accountTexts } from '../ground/texts.ts'
import { ErrorNotice } from './errorNotice.tsx'
import { FormButtons } from './formButtons.tsx'

interface ConfirmDialogProps {
  readonly title: string
  readonly children: ComponentChildren
  /** What the button says. */
  readonly submit: string
  readonly icon?: IconName | undefined
  /** Absent if it begins when the dialog has closed. */
  readonly work?: () => Promise<void>
  readonly onDone: () => void
  readonly onClose: () => void
}

export function ConfirmDialog({ title, children, submit, icon, work, onDone, onClose }: ConfirmDialogProps) {
  const text = useText(accountTexts).page
  const { isBusy, error, run } = useAction()
  const confirm = async () => {
    if (work === undefined || (await run(work))) onDone()
  }
  return (
    <Dialog title={title} closeLabel={text.close} onClose={onClose}>
      {children}
      {error !== undefined && <ErrorNotice error={error} />}
      <FormButtons
        submit={submit}
        kind="danger"
        icon={icon}
        isBusy={isBusy}
        onSubmit={() => void confirm()}
        onCancel={onClose}
      />
    </Dialog>
  )
}
