import { NetworkError, PasswordWrong } from '@blindkeep/client/errors'
import { useState } from 'preact/hooks'
import { Notice, Progress } from '../../common/controls.tsx'
import { useText } from '../../common/reader.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorTexts } from '../errorText.ts'
import { FormButtons } from '../formButtons.tsx'
import { accountTexts } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { CheckedForm } from './checkedForm.tsx'
import { AnyCodeField, isCodeWrong } from './codeField.tsx'
import { NewPasswordFields, useNewPassword } from './newPassword.tsx'
import { PasswordField } from './passwordField.tsx'
import { UnfoldingSection } from './section.tsx'

interface ChangePasswordProps {
  readonly email: string
  /** A second factor is on. */
  readonly asksCode: boolean
  /** Other sessions have ended. */
  readonly onEnded: () => void
}

export function ChangePassword(props: ChangePasswordProps) {
  const accountText = useText(accountTexts)
  return (
    <UnfoldingSection text={accountText.changePassword} icon="key">
      {(close) => <ChangeForm {...props} onClose={close} />}
    </UnfoldingSection>
  )
}

function ChangeForm({ email, asksCode, onEnded, onClose }: ChangePasswordProps & { readonly onClose: () => void }) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(accountTexts)
  const errorText = useText(errorTexts)
  const [present, setPresent] = useState('')
  const [code, setCode] = useState('')
  const next = useNewPassword()
  const [share, setShare] = useState(0)
  const action = useAction()
  const { error } = action
  const isWrong = error instanceof PasswordWrong
  const isFieldWrong = isWrong || (asksCode && isCodeWrong(error))
  const change = async () => {
    const given = { present, next: next.value, onProgress: setShare, ...(asksCode && { code }) }
    const wasDone = await action.run(() => owner.changePassword(given))
    if (!wasDone) return
    onEnded()
    // A passkey survives the change, and a thief may have added one, so the message counts them. The password is
    // changed even if they cannot be listed.
    const passkeys = await owner.passkeys().catch(() => [])
    const { done, doneWithPasskeys } = text.changePassword
    showMessage({ tone: 'good', text: passkeys.length === 0 ? done : doneWithPasskeys(passkeys.length) })
    onClose()
  }
  return (
    <CheckedForm
      isComplete={present !== '' && next.isAcceptable && (!asksCode || code.trim() !== '')}
      onSubmit={() => void change()}
      fieldError={isFieldWrong ? error : undefined}
      focusesFirst
    >
      {(hasTried) => (
        <>
          {error !== undefined && !isFieldWrong && <ErrorNotice error={error} />}
          {error instanceof NetworkError && <Notice tone="warn">{text.changePassword.unsure}</Notice>}
          <UserName email={email} />
          <PasswordField
            label={text.page.presentPassword}
            value={present}
            onInput={setPresent}
            fault={isWrong ? errorText(error) : hasTried && present === '' ? text.required : undefined}
          />
          <NewPasswordFields label={text.newPassword} password={next} email={email} hasTried={hasTried} />
          {asksCode && <AnyCodeField code={code} onCode={setCode} error={error} hasTried={hasTried} />}
          {action.isBusy && <Progress label={text.working} value={share} />}
          <FormButtons submit={text.changePassword.submit} isBusy={action.isBusy} onCancel={onClose} />
        </>
      )}
    </CheckedForm>
  )
}

/** Password managers update the entry of this user name. */
function UserName({ email }: { readonly email: string }) {
  return (
    <input
      type="email"
      class="visually-hidden"
      value={email}
      autocomplete="username"
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  )
}
