import type { OwnShare } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { AskingDialog } from '../dialogs/askingDialog.tsx'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FormButtons } from '../dialogs/formButtons.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { sharesTexts } from '../ground/texts.ts'
import { LimitField, limitOf } from './limitField.tsx'

interface LimitDialogProps {
  readonly share: OwnShare
  readonly name: string
  readonly onClose: () => void
  readonly onSaved: () => void
}

/** Changes how many visits may download. */
export function LimitDialog({ share, name, onClose, onSaved }: LimitDialogProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(sharesTexts)
  const [typed, setTyped] = useState(String(share.maxDownloads ?? ''))
  const { isBusy, error, run } = useAction()
  const limit = limitOf(typed)
  const save = async () => {
    if (limit === 'wrong' || !(await run(() => owner.limitShare(share.opaqueId, limit)))) return
    showMessage({ tone: 'good', text: text.limit.done })
    onSaved()
    onClose()
  }
  return (
    <AskingDialog title={text.limit.title(name)} closeLabel={text.close} onClose={onClose} isBusy={isBusy}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <LimitField typed={typed} onTyped={setTyped} />
        <p class="small soft">
          {text.limit.before} {text.limit.meaning}
        </p>
        {error !== undefined && <ErrorNotice error={error} />}
        <FormButtons submit={text.limit.save} isBusy={isBusy} onCancel={onClose} />
      </form>
    </AskingDialog>
  )
}
