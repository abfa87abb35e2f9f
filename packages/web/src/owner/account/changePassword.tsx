import { NetworkError, PasswordWrong } from '@blindkeep/client/errors'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Notice, Progress } from '../../common/controls.tsx'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorText } from '../errorText.ts'
import { focusFault } from '../focusFault.ts'
import { accountText } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { isAcceptable, NewPasswordFields, PasswordField } from './passwordField.tsx'
import { UnfoldingSection } from './section.tsx'

export function ChangePassword({ email }: { readonly email: string }) {
  const { language } = useOwnerPages()
  return (
    <UnfoldingSection text={accountText(language).changePassword} icon="key">
      {(close) => <ChangeForm email={email} onClose={close} />}
    </UnfoldingSection>
  )
}

function ChangeForm({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const { owner, language, tell } = useOwnerPages()
  const text = accountText(language)
  const [present, setPresent] = useState('')
  const [next, setNext] = useState('')
  const [repeated, setRepeated] = useState('')
  const [hasTried, setTried] = useState(false)
  const [share, setShare] = useState(0)
  const action = useAction()
  const form = useRef<HTMLFormElement>(null)
  const isWrong = action.error instanceof PasswordWrong
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  useEffect(() => {
    if (isWrong && form.current !== null) focusFault(form.current)
  }, [action.error])
  const change = async () => {
    const wasDone = await action.run(() => owner.changePassword({ present, next, onProgress: setShare }))
    if (!wasDone) return
    tell({ tone: 'good', text: text.changePassword.done })
    onClose()
  }
  return (
    <form
      ref={form}
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (present !== '' && isAcceptable(next, repeated)) void change()
        else focusFault(event.currentTarget)
      }}
    >
      {action.error !== undefined && !isWrong && <ErrorNotice error={action.error} language={language} />}
      {action.error instanceof NetworkError && <Notice tone="warn">{text.changePassword.unsure}</Notice>}
      <UserName email={email} />
      <PasswordField
        label={text.page.presentPassword}
        value={present}
        onInput={setPresent}
        language={language}
        fault={isWrong ? errorText(action.error, language) : hasTried && present === '' ? text.required : undefined}
      />
      <NewPasswordFields
        label={text.newPassword}
        value={next}
        repeated={repeated}
        onInput={setNext}
        onRepeat={setRepeated}
        language={language}
        email={email}
        hasTried={hasTried}
      />
      {action.isBusy && <Progress label={text.working} value={share} />}
      <div class="row">
        <Button kind="primary" submits busy={action.isBusy}>
          {text.changePassword.submit}
        </Button>
        <Button kind="quiet" onClick={onClose} disabled={action.isBusy}>
          {text.page.cancel}
        </Button>
      </div>
    </form>
  )
}

/** Password managers change what they keep under the name that stands beside it. */
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
