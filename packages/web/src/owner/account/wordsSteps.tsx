/** Shows the recovery words once, and asks for some of them before the owner continues. */
import { systemEnvironment } from '@blindkeep/client/environment'
import { useMemo, useState } from 'preact/hooks'
import { useCloseGuard } from '../../common/closeGuard.ts'
import { Button, Field, Notice } from '../../common/controls.tsx'
import { useText } from '../../common/reader.ts'
import { accountTexts } from '../texts.ts'
import { CheckedForm } from './checkedForm.tsx'
import { askedPlaces } from './registration.ts'
import { SecretList } from './secretList.tsx'
import { SignedOutFrame } from './signedOutFrame.tsx'

interface WordsStepsProps {
  readonly words: readonly string[]
  readonly email: string
  readonly onDone: () => void
}

export function WordsSteps({ words, email, onDone }: WordsStepsProps) {
  const text = useText(accountTexts).words
  const [isAsked, setAsked] = useState(false)
  // A user who closes the page now has an account without recovery words.
  useCloseGuard(true)
  return (
    <SignedOutFrame title={isAsked ? text.confirmTitle : text.title} wide>
      {isAsked ? (
        <AskedWords words={words} onDone={onDone} onBack={() => setAsked(false)} />
      ) : (
        <>
          <div class="no-print">
            <Notice tone="warn">
              <p>{text.explain}</p>
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
            <Button kind="primary" onClick={() => setAsked(true)}>
              {text.next}
            </Button>
          </div>
        </>
      )}
    </SignedOutFrame>
  )
}

interface AskedWordsProps {
  readonly words: readonly string[]
  readonly onDone: () => void
  readonly onBack: () => void
}

function AskedWords({ words, onDone, onBack }: AskedWordsProps) {
  const text = useText(accountTexts).words
  const places = useMemo(() => askedPlaces(words.length, systemEnvironment.randomBytes), [words])
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({})
  const isRight = (place: number) => typed[place]?.trim().toLowerCase() === words[place - 1]
  return (
    <CheckedForm isComplete={places.every(isRight)} onSubmit={onDone}>
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
          <div class="row apart">
            <Button kind="quiet" icon="back" onClick={onBack}>
              {text.again}
            </Button>
            <Button kind="primary" submits>
              {text.finish}
            </Button>
          </div>
        </>
      )}
    </CheckedForm>
  )
}
