/** The recovery words, shown once, and asked for before anybody goes on. */
import { systemEnvironment } from '@blindkeep/client/environment'
import { useMemo, useRef, useState } from 'preact/hooks'
import { Button, Field, Notice } from '../../common/controls.tsx'
import type { Language } from '../../common/language.ts'
import { useBusy } from '../busy.ts'
import { focusFault } from '../focusFault.ts'
import { accountText } from '../texts.ts'
import { DoorFrame, type DoorProps } from './doorFrame.tsx'
import { askedPlaces } from './registration.ts'
import { SecretList } from './secretList.tsx'

interface WordsStepsProps extends Pick<DoorProps, 'language' | 'onLanguage'> {
  readonly words: readonly string[]
  readonly email: string
  readonly onDone: () => void
}

export function WordsSteps({ words, email, onDone, language, onLanguage }: WordsStepsProps) {
  const text = accountText(language).words
  const [isAsked, setAsked] = useState(false)
  // Whoever closes the page now has an account and no words.
  useBusy(true)
  return (
    <DoorFrame title={isAsked ? text.confirmTitle : text.title} wide language={language} onLanguage={onLanguage}>
      {isAsked ? (
        <AskedWords words={words} language={language} onDone={onDone} onBack={() => setAsked(false)} />
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
            language={language}
          />
          <div class="no-print">
            <Button kind="primary" onClick={() => setAsked(true)}>
              {text.next}
            </Button>
          </div>
        </>
      )}
    </DoorFrame>
  )
}

interface AskedWordsProps {
  readonly words: readonly string[]
  readonly language: Language
  readonly onDone: () => void
  readonly onBack: () => void
}

function AskedWords({ words, language, onDone, onBack }: AskedWordsProps) {
  const text = accountText(language).words
  const places = useMemo(() => askedPlaces(words.length, systemEnvironment.randomBytes), [words])
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({})
  const [hasTried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const isRight = (place: number) => typed[place]?.trim().toLowerCase() === words[place - 1]
  return (
    <form
      ref={form}
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (places.every(isRight)) onDone()
        else focusFault(event.currentTarget)
      }}
    >
      <p>{text.confirmExplain}</p>
      {places.map((place) => (
        <Field key={place} label={text.word(place)} fault={hasTried && !isRight(place) ? text.wrong(place) : undefined}>
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
    </form>
  )
}
