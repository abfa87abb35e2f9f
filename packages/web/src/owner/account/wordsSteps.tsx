/** Shows the recovery words once, and asks for some of them before the owner continues. */
import { systemEnvironment } from '@blindkeep/client/environment'
import { useMemo, useState } from 'preact/hooks'
import { Button, Field, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useCloseGuard } from '../../common/work/closeGuard.ts'
import { useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { accountTexts } from '../ground/texts.ts'
import { CheckedForm } from './checkedForm.tsx'
import { askedPlaces } from './registration.ts'
import { SecretList } from './secretList.tsx'
import { SignedOutFrame } from './signedOutFrame.tsx'

interface WordsStepsProps {
  readonly words: readonly string[]
  readonly email: string
  readonly onDone: () => Promise<void>
}

/** For a new account, whose owner is not in yet. */
export function WordsSteps(props: WordsStepsProps) {
  const text = useText(accountTexts).words
  const [isAsked, setAsked] = useState(false)
  // The words of this page are shown nowhere else.
  useCloseGuard(true)
  return (
    <SignedOutFrame title={isAsked ? text.confirmTitle : text.title} wide>
      <ShownWords {...props} explain={text.explain} onAsked={setAsked} />
    </SignedOutFrame>
  )
}

interface ShownWordsProps extends WordsStepsProps {
  readonly explain: string
  /** Whether the words are hidden, and some of them are asked for. */
  readonly onAsked?: (isAsked: boolean) => void
}

export function ShownWords({ words, email, explain, onDone, onAsked }: ShownWordsProps) {
  const text = useText(accountTexts).words
  const [isAsked, setAsked] = useState(false)
  const ask = (next: boolean) => {
    setAsked(next)
    onAsked?.(next)
  }
  if (isAsked) return <AskedWords words={words} onDone={onDone} onBack={() => ask(false)} />
  return (
    <>
      <div class="no-print">
        <Notice tone="warn">
          <p>{explain}</p>
        </Notice>
      </div>
      <p class="no-print">{text.keep}</p>
      <SecretList
        title={text.fileTitle}
        label={text.list}
        email={email}
        items={words}
        fileName={text.fileName}
        path="recover"
      />
      <div class="no-print">
        <Button kind="primary" onClick={() => ask(true)}>
          {text.next}
        </Button>
      </div>
    </>
  )
}

interface AskedWordsProps {
  readonly words: readonly string[]
  readonly onDone: () => Promise<void>
  readonly onBack: () => void
}

function AskedWords({ words, onDone, onBack }: AskedWordsProps) {
  const text = useText(accountTexts).words
  const places = useMemo(() => askedPlaces(words.length, systemEnvironment.randomBytes), [words])
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({})
  const action = useAction()
  const isRight = (place: number) => typed[place]?.trim().toLowerCase() === words[place - 1]
  return (
    <CheckedForm isComplete={places.every(isRight)} onSubmit={() => void action.run(onDone)}>
      {(hasTried) => (
        <>
          <p>{text.confirmExplain}</p>
          {places.map((place) => (
            <Field
              key={place}
              label={text.word(place)}
              fault={hasTried && !isRight(place) ? text.wrong(place) : undefined}
            >
              {(input) => (
                <input
                  {...input}
                  class="mono"
                  value={typed[place] ?? ''}
                  autocomplete="off"
                  autocapitalize="none"
                  spellcheck={false}
                  onInput={(event) => setTyped({ ...typed, [place]: event.currentTarget.value })}
                />
              )}
            </Field>
          ))}
          {action.error !== undefined && <ErrorNotice error={action.error} />}
          <div class="row apart">
            <Button kind="quiet" icon="back" onClick={onBack}>
              {text.again}
            </Button>
            <Button kind="primary" submits busy={action.isBusy}>
              {text.finish}
            </Button>
          </div>
        </>
      )}
    </CheckedForm>
  )
}
