/** Recovery words: to check them, and to make others in place of them. */
import { mayBeDone, RecoveryError, WordsError } from '@blindkeep/client/errors'
import type { AccountFacts } from '@blindkeep/client/owner'
import { type NewRecoveryWords, newRecoveryWords } from '@blindkeep/client/recovery'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import { CheckedForm } from './checkedForm.tsx'
import { PasswordForm } from './passwordForm.tsx'
import { Section } from './section.tsx'
import { WordsField } from './wordsField.tsx'
import { ShownWords } from './wordsSteps.tsx'

interface RecoverySectionProps {
  readonly account: AccountFacts
  readonly reload: () => void
}

const BADGES = { none: '', unconfirmed: 'warn', confirmed: 'good' } as const

export function RecoverySection({ account, reload }: RecoverySectionProps) {
  const { unsaved, onUnsaved, showMessage, reloadAccount } = useOwnerPages()
  const text = useText(accountTexts).recovery
  const [step, setStep] = useState<'idle' | 'check' | 'renew'>('idle')
  const { email, recoveryWords: state } = account
  const reloadAll = () => {
    reload()
    reloadAccount()
  }
  const close = () => setStep('idle')
  const isNew = unsaved.recoveryWords !== undefined
  return (
    <Section title={text.title} state={<span class={`badge ${BADGES[state]}`}>{text.states[state]}</span>}>
      {unsaved.recoveryWords !== undefined && (
        <NewWords
          words={unsaved.recoveryWords}
          email={email}
          onEnd={(isConfirmed) => {
            onUnsaved({ recoveryWords: undefined })
            if (isConfirmed) showMessage({ tone: 'good', text: text.renewed })
            reloadAll()
          }}
        />
      )}
      {!isNew && step === 'idle' && (
        <>
          <p class="soft">{state === 'none' ? text.explainNone : text.explain}</p>
          {state === 'unconfirmed' && <Notice tone="warn">{text.unconfirmed}</Notice>}
          <div class="row">
            {state !== 'none' && (
              <Button icon="check" onClick={() => setStep('check')}>
                {text.open}
              </Button>
            )}
            <Button icon="key" onClick={() => setStep('renew')}>
              {text.renew}
            </Button>
          </div>
        </>
      )}
      {!isNew && step === 'check' && <CheckForm onRight={reloadAll} onClose={close} />}
      {!isNew && step === 'renew' && (
        <RenewForm asksCode={account.hasSecondFactor} onRenewed={reloadAll} onClose={close} />
      )}
    </Section>
  )
}

interface RenewFormProps {
  readonly asksCode: boolean
  readonly onRenewed: () => void
  readonly onClose: () => void
}

function RenewForm({ asksCode, onRenewed, onClose }: RenewFormProps) {
  const { owner, onUnsaved } = useOwnerPages()
  const text = useText(accountTexts).recovery
  // The same words for all tries: an earlier one may have been stored.
  const words = useRef<NewRecoveryWords>(undefined)
  return (
    <PasswordForm
      explain={text.renewExplain}
      submit={text.renew}
      asksCode={asksCode}
      onSubmit={async ({ password, code }) => {
        words.current ??= newRecoveryWords()
        try {
          await owner.changeRecoveryWords({ password, words: words.current, ...(asksCode && { code }) })
        } catch (error) {
          // The server says next which words are valid.
          if (!mayBeDone(error)) throw error
        }
        onUnsaved({ recoveryWords: words.current })
        onRenewed()
        onClose()
      }}
      onCancel={onClose}
    />
  )
}

interface NewWordsProps {
  readonly words: NewRecoveryWords
  readonly email: string
  /** With whether the owner has confirmed them. */
  readonly onEnd: (isConfirmed: boolean) => void
}

/** Shows them once the server has confirmed that they open the account. */
function NewWords({ words, email, onEnd }: NewWordsProps) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts)
  const [shown, setShown] = useState<readonly string[]>()
  const [isReplaced, setReplaced] = useState(false)
  const checking = useAction()
  const check = () => void checking.run(async () => setShown(await words.confirm()))
  useEffect(check, [words])
  if (isReplaced || checking.error instanceof RecoveryError)
    return (
      <>
        <Notice tone="warn">{text.recovery.notStored}</Notice>
        <div>
          <Button onClick={() => onEnd(false)}>{text.page.close}</Button>
        </div>
      </>
    )
  if (shown === undefined)
    return checking.error === undefined ? (
      <p role="status">{text.recovery.checking}</p>
    ) : (
      <>
        <Notice tone="warn">{text.recovery.unsure}</Notice>
        <ErrorNotice error={checking.error} onRetry={check} />
      </>
    )
  const confirm = async () => {
    try {
      await owner.confirmRecoveryWords(words)
    } catch (error) {
      if (!(error instanceof RecoveryError)) throw error
      setReplaced(true)
      return
    }
    onEnd(true)
  }
  return <ShownWords words={shown} email={email} explain={text.recovery.renewedExplain} onDone={confirm} />
}

interface CheckFormProps {
  readonly onRight: () => void
  readonly onClose: () => void
}

function CheckForm({ onRight, onClose }: CheckFormProps) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts)
  const [words, setWords] = useState('')
  const [isRight, setRight] = useState(false)
  const action = useAction()
  const { error } = action
  const check = async () => {
    setRight(false)
    if (!(await action.run(() => owner.confirmRecoveryWords(words)))) return
    setRight(true)
    onRight()
  }
  return (
    <CheckedForm
      isComplete
      onSubmit={() => void check()}
      fieldError={error instanceof WordsError ? error : undefined}
      focusesFirst
    >
      {() => (
        <>
          <p>{text.recovery.checkExplain}</p>
          <WordsField
            words={words}
            onWords={(typed) => {
              setWords(typed)
              setRight(false)
            }}
            error={error}
          />
          {error !== undefined && !(error instanceof WordsError) && <ErrorNotice error={error} />}
          {isRight && <Notice tone="good">{text.recovery.good}</Notice>}
          <div class="row">
            <Button kind="primary" submits busy={action.isBusy}>
              {text.recovery.submit}
            </Button>
            <Button kind="quiet" onClick={onClose}>
              {text.page.close}
            </Button>
          </div>
        </>
      )}
    </CheckedForm>
  )
}
