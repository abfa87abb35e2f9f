import { WordsError } from '@blindkeep/client/errors'
import { checkRecoveryWords } from '@blindkeep/client/recovery'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls.tsx'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { focusFault } from '../focusFault.ts'
import { accountText } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { UnfoldingSection } from './section.tsx'
import { WordsField } from './wordsField.tsx'

/** Nobody can say whether an account has recovery words, not even its client; whether given ones open it, anybody who has them can try. */
export function RecoveryCheck({ email }: { readonly email: string }) {
  const { language } = useOwnerPages()
  return (
    <UnfoldingSection text={accountText(language).recovery} icon="check">
      {(close) => <CheckForm email={email} onClose={close} />}
    </UnfoldingSection>
  )
}

function CheckForm({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const { owner, baseUrl, language } = useOwnerPages()
  const text = accountText(language)
  const [words, setWords] = useState('')
  const [isGood, setGood] = useState(false)
  const action = useAction()
  const form = useRef<HTMLFormElement>(null)
  const { error } = action
  useEffect(() => form.current?.querySelector('textarea')?.focus(), [])
  useEffect(() => {
    if (error instanceof WordsError && form.current !== null) focusFault(form.current)
  }, [error])
  const check = async () => {
    setGood(false)
    const { accountKey } = owner
    setGood(await action.run(() => checkRecoveryWords({ baseUrl, email, words, accountKey })))
  }
  return (
    <form
      ref={form}
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void check()
      }}
    >
      <p>{text.recovery.checkExplain}</p>
      <WordsField
        words={words}
        onWords={(typed) => {
          setWords(typed)
          setGood(false)
        }}
        error={error}
        language={language}
      />
      {error !== undefined && !(error instanceof WordsError) && <ErrorNotice error={error} language={language} />}
      {isGood && <Notice tone="good">{text.recovery.good}</Notice>}
      <div class="row">
        <Button kind="primary" submits busy={action.isBusy}>
          {text.recovery.submit}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {text.page.close}
        </Button>
      </div>
    </form>
  )
}
