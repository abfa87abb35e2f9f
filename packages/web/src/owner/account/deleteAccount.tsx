import { useState } from 'preact/hooks'
import { Button, Dialog, Field } from '../../common/controls.tsx'
import { useText } from '../../common/reader.ts'
import { useOwnerPages } from '../context.ts'
import type { PageSession } from '../session.ts'
import { accountTexts } from '../texts.ts'
import { PasswordForm } from './passwordForm.tsx'
import { Section } from './section.tsx'

interface DeleteAccountProps {
  readonly email: string
  /** A second factor is on. */
  readonly asksCode: boolean
  readonly session: PageSession
}

export function DeleteAccount(props: DeleteAccountProps) {
  const text = useText(accountTexts).leave
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={text.title} explain={text.explain}>
      <div>
        <Button kind="danger" icon="trash" onClick={() => setOpen(true)}>
          {text.open}
        </Button>
      </div>
      {isOpen && <DeleteDialog {...props} onClose={() => setOpen(false)} />}
    </Section>
  )
}

function DeleteDialog({ email, asksCode, session, onClose }: DeleteAccountProps & { readonly onClose: () => void }) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts)
  const [typed, setTyped] = useState('')
  const isConfirmed = typed.trim().toLowerCase() === email.toLowerCase()
  return (
    <Dialog title={text.leave.dialogTitle} closeLabel={text.page.close} onClose={onClose}>
      <div class="stack tight">
        <p>{text.leave.what}</p>
        <ul class="consequences">
          {text.leave.items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      </div>
      <PasswordForm
        explain={text.leave.saveFirst}
        submit={text.leave.submit}
        kind="danger"
        asksCode={asksCode}
        isReady={isConfirmed}
        onSubmit={async ({ password, code }) => {
          await owner.deleteAccount({ password, ...(asksCode && { code }) })
          await session.endDeleted()
        }}
        onCancel={onClose}
        before={(hasTried) => (
          <Field
            label={text.leave.confirm(email)}
            fault={hasTried && !isConfirmed ? text.leave.confirmFault : undefined}
          >
            {(input) => (
              <input
                {...input}
                value={typed}
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
      />
    </Dialog>
  )
}
