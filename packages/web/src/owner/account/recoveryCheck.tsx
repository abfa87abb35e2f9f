import { WordsError } from '@blindkeep/client/errors'
import { checkRecoveryWords } from '@blindkeep/client/recovery'
import { useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls.tsx'
import { useText } from '../../common/reader.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { accountTexts } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { CheckedForm } from './checkedForm.tsx'
import { UnfoldingSection } from './section.tsx'
import { WordsField } from './wordsField.tsx'

/** No client can find out whether recovery words exist, but owners can check given words. */
export function RecoveryCheck({ email }: { readonly email: string }) {
  const accountText = useText(accountTexts)
  return (
    <UnfoldingSection text={accountText.recovery} icon="check">
      {(close) => <CheckForm email={email} onClose={close} />}
    </UnfoldingSection>
  )
}

function CheckForm({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const { owner, baseUrl } = useOwnerPages()
  const text = useText(accountTexts)
  const [words, setWords] = useState('')
  const [isRight, setRight] = useState(false)
  const action = useAction()
  const { error } = action
  const check = async () => {
    setRight(false)
    const { accountKey } = owner
    setRight(await action.run(() => checkRecoveryWords({ baseUrl, email, words, accountKey })))
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
