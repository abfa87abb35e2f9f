/** Changes the owner's name for a sign-in, a signing key, a passkey, a share, an album or a file. */

import { useState } from 'preact/hooks'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import { AskingDialog } from './askingDialog.tsx'
import { ErrorNotice } from './errorNotice.tsx'
import { FormButtons } from './formButtons.tsx'
import { NameField } from './nameField.tsx'

interface NameDialogProps {
  readonly title: string
  readonly name: string | undefined
  /** Of what must have a name: what it means, and what to say without one. By default an empty name removes it. */
  readonly required?: { readonly hint: string; readonly missing: string } | undefined
  readonly save: (name: string) => Promise<void>
  readonly onClose: () => void
  readonly onSaved: () => void
}

export function NameDialog({ title, name, required, save, onClose, onSaved }: NameDialogProps) {
  const { showMessage } = useOwnerPages()
  const text = useText(accountTexts)
  const [given, setGiven] = useState(name ?? '')
  const [isMissing, setMissing] = useState(false)
  const { isBusy, error, run } = useAction()
  const submit = async () => {
    const isEmpty = required !== undefined && given.trim() === ''
    setMissing(isEmpty)
    if (isEmpty) return
    if (!(await run(() => save(given)))) return
    showMessage({ tone: 'good', text: text.rename.done })
    onSaved()
    onClose()
  }
  return (
    <AskingDialog title={title} closeLabel={text.page.close} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <NameField
          label={text.rename.name}
          hint={required?.hint ?? text.rename.hint}
          fault={isMissing ? required?.missing : undefined}
          name={given}
          onName={setGiven}
        />
        {error !== undefined && <ErrorNotice error={error} />}
        <FormButtons submit={text.rename.save} isBusy={isBusy} onCancel={onClose} />
      </form>
    </AskingDialog>
  )
}
