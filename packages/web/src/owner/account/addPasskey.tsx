/** Adds a passkey: first the password, and a code where a second factor is on, and then the authenticator. */

import type { MadePasskey, PreparedPasskey } from '@blindkeep/client/owner'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useReader, useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { browserName } from '../browser/browserName.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FormButtons } from '../dialogs/formButtons.tsx'
import { NameField } from '../dialogs/nameField.tsx'
import { forgetPasskey, makePasskey } from '../ground/authenticator.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import { CheckedForm } from './checkedForm.tsx'
import { AnyCodeField, isCodeWrong } from './codeField.tsx'
import { PasswordForm } from './passwordForm.tsx'

interface Prepared {
  readonly passkey: PreparedPasskey
  readonly code: string
}

interface AddPasskeyProps {
  readonly asksCode: boolean
  readonly onAdded: () => void
  readonly onCancel: () => void
}

export function AddPasskey({ asksCode, onAdded, onCancel }: AddPasskeyProps) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts).passkeys
  const [prepared, setPrepared] = useState<Prepared>()
  if (prepared === undefined)
    return (
      <PasswordForm
        explain={asksCode ? text.askBoth : text.askPassword}
        submit={text.next}
        asksCode={asksCode}
        onSubmit={async ({ password, code }) =>
          setPrepared({ passkey: await owner.preparePasskey({ password }), code })
        }
        onCancel={onCancel}
      />
    )
  return <MakeForm prepared={prepared.passkey} firstCode={prepared.code} onAdded={onAdded} onCancel={onCancel} />
}

interface MakeFormProps extends Omit<AddPasskeyProps, 'asksCode'> {
  readonly prepared: PreparedPasskey
  readonly firstCode: string
}

function MakeForm({ prepared, firstCode, onAdded, onCancel }: MakeFormProps) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts)
  const { language } = useReader()
  const [name, setName] = useState(() => browserName(undefined, language))
  const [code, setCode] = useState(firstCode)
  // Only the server can tell whether a code is right, and it accepts it once: when the passkey is stored.
  const [isRefused, setRefused] = useState(firstCode === '')
  // A second attempt to store it, after a wrong code or a lost connection, makes no second passkey.
  const [made, setMade] = useState<MadePasskey>()
  const action = useAction()
  const { error } = action
  const askCode = firstCode === '' ? text.passkeys.codeNeeded : text.passkeys.codeAgain
  const asksCode = made !== undefined && prepared.needsCode && isRefused
  const codeField = useRef<HTMLInputElement>(null)
  useEffect(() => codeField.current?.focus(), [asksCode])
  const isComplete = !asksCode || code.trim() !== ''

  const submit = () =>
    action.run(async () => {
      const passkey = made ?? (await makePasskey(prepared, owner.email))
      setMade(passkey)
      if (prepared.needsCode && isRefused && !asksCode) return
      try {
        await prepared.add({ ...passkey, name, ...(prepared.needsCode ? { code } : {}) })
      } catch (cause) {
        if (isCodeWrong(cause) && !isRefused) {
          setRefused(true)
          setCode('')
        }
        throw cause
      }
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
            {made === undefined ? text.passkeys.makeExplain : asksCode ? askCode : text.passkeys.made}
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
