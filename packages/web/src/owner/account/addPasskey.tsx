/** Adds a passkey: the password first, then the authenticator, and a code where a second factor is on. */

import type { MadePasskey, PreparedPasskey } from '@blindkeep/client/owner'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useReader, useText } from '../../common/reader.ts'
import { useAction } from '../../common/useAction.ts'
import { browserName } from '../browserName.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { FormButtons } from '../formButtons.tsx'
import { NameField } from '../nameField.tsx'
import { accountTexts } from '../texts.ts'
import { forgetPasskey, makePasskey } from './authenticator.ts'
import { CheckedForm } from './checkedForm.tsx'
import { AnyCodeField, isCodeWrong } from './codeField.tsx'
import { PasswordForm } from './passwordForm.tsx'

interface AddPasskeyProps {
  readonly onAdded: () => void
  readonly onCancel: () => void
}

export function AddPasskey({ onAdded, onCancel }: AddPasskeyProps) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts).passkeys
  const [prepared, setPrepared] = useState<PreparedPasskey>()
  if (prepared === undefined)
    return (
      <PasswordForm
        explain={text.askPassword}
        submit={text.next}
        onSubmit={async (present) => setPrepared(await owner.preparePasskey(present))}
        onCancel={onCancel}
      />
    )
  return <MakeForm prepared={prepared} onAdded={onAdded} onCancel={onCancel} />
}

function MakeForm({ prepared, onAdded, onCancel }: AddPasskeyProps & { readonly prepared: PreparedPasskey }) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts)
  const { language } = useReader()
  const [name, setName] = useState(() => browserName(undefined, language))
  const [code, setCode] = useState('')
  // A second attempt to store it, after a wrong code or a lost connection, makes no second passkey.
  const [made, setMade] = useState<MadePasskey>()
  const action = useAction()
  const { error } = action
  const asksCode = made !== undefined && prepared.needsCode
  const codeField = useRef<HTMLInputElement>(null)
  useEffect(() => codeField.current?.focus(), [asksCode])
  const isComplete = !asksCode || code.trim() !== ''

  const submit = () =>
    action.run(async () => {
      const passkey = made ?? (await makePasskey(prepared, owner.email))
      setMade(passkey)
      if (prepared.needsCode && !asksCode) return
      await prepared.add({ ...passkey, name, ...(prepared.needsCode ? { code } : {}) })
      onAdded()
    })
  const cancel = () => {
    // The server may have stored it, and its answer was lost. Where it cannot be asked now, both keep it, and the list
    // shows it.
    if (made !== undefined)
      void prepared.discard().then(
        () => forgetPasskey(made.credentialId),
        () => undefined,
      )
    onCancel()
  }
  return (
    // The code is another step: its field shows no fault before the owner has tried to save.
    <CheckedForm
      key={asksCode ? 'code' : 'make'}
      isComplete={isComplete}
      onSubmit={() => void submit()}
      fieldError={isCodeWrong(error) ? error : undefined}
      focusesFirst={!asksCode}
    >
      {(hasTried) => (
        <>
          <p role="status">
            {made === undefined ? text.passkeys.makeExplain : asksCode ? text.passkeys.codeExplain : text.passkeys.made}
          </p>
          {error !== undefined && !isCodeWrong(error) && <ErrorNotice error={error} />}
          <NameField label={text.rename.name} hint={text.passkeys.nameHint} name={name} onName={setName} />
          {asksCode && (
            <AnyCodeField code={code} onCode={setCode} field={codeField} error={error} hasTried={hasTried} />
          )}
          <FormButtons
            submit={made === undefined ? text.passkeys.make : text.rename.save}
            isBusy={action.isBusy}
            onCancel={cancel}
          />
        </>
      )}
    </CheckedForm>
  )
}
