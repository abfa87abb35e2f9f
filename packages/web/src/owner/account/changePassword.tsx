import { useState } from 'preact/hooks'
import { useText } from '../../common/language/reader.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import { NewPasswordFields, useNewPassword } from './newPassword.tsx'
import { PasswordForm } from './passwordForm.tsx'
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
  const next = useNewPassword()
  const [share, setShare] = useState(0)
  const change = async (present: string, code: string) => {
    await owner.changePassword({ present, next: next.value, onProgress: setShare, ...(asksCode && { code }) })
    onEnded()
    // A passkey survives the change, and a thief may have added one, so the message counts them. The password is
    // changed even if they cannot be listed.
    const passkeys = await owner.passkeys().catch(() => [])
    const { done, doneWithPasskeys } = text.changePassword
    showMessage({ tone: 'good', text: passkeys.length === 0 ? done : doneWithPasskeys(passkeys.length) })
    onClose()
  }
  return (
    <PasswordForm
      submit={text.changePassword.submit}
      asksCode={asksCode}
      isReady={next.isAcceptable}
      share={share}
      unsure={text.changePassword.unsure}
      before={() => <UserName email={email} />}
      after={(hasTried) => (
        <NewPasswordFields label={text.newPassword} password={next} email={email} hasTried={hasTried} />
      )}
      onSubmit={({ password, code }) => change(password, code)}
      onCancel={onClose}
    />
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
