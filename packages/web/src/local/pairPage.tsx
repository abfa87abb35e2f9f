import type { ComponentChildren, FunctionComponent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { askProgram } from '../common/address/localPage.ts'
import { CodeField } from '../common/controls/codeField.tsx'
import { Button, Notice } from '../common/controls/controls.tsx'
import { useText } from '../common/language/reader.ts'
import { useAction } from '../common/work/useAction.ts'
import { localTexts } from './texts.ts'

interface FrameProps {
  readonly title: string
  /** For long content. */
  readonly wide?: boolean
  readonly children: ComponentChildren
}

/** How the pages of a document look. */
export interface LocalLook {
  readonly Frame: FunctionComponent<FrameProps>
  readonly title: keyof Pick<typeof localTexts.en, 'pairTitle' | 'linkTitle'>
  readonly explain: keyof Pick<typeof localTexts.en, 'pairExplain' | 'linkExplain'>
  readonly Failed: FunctionComponent<{ readonly error: unknown }>
}

interface PairPageProps {
  readonly look: LocalLook
  readonly serverUrl: string
  /** Undefined for anything but the program's answer to the right code. */
  readonly onPaired: (answer: Readonly<Record<string, unknown>>) => Promise<void> | undefined
}

type Fault = { readonly is: 'wrong'; readonly triesLeft: number } | { readonly is: 'over' | 'refused' }

/** Asks for the code that the terminal shows. There is no password on a local page: any program could show one. */
export function PairPage({ look: { Frame, Failed, title, explain }, serverUrl, onPaired }: PairPageProps) {
  const text = useText(localTexts)
  const [code, setCode] = useState('')
  const [fault, setFault] = useState<Fault>()
  const { isBusy, error, run } = useAction()
  const field = useRef<HTMLInputElement>(null)
  const askCode = async () => {
    const { status } = await askProgram('/local/code', { method: 'POST' })
    if (status !== 200) setFault({ is: 'refused' })
  }
  useEffect(() => {
    field.current?.focus()
    void run(askCode)
  }, [])
  useEffect(() => field.current?.select(), [fault])

  const pair = async () => {
    const body = JSON.stringify({ code: code.replaceAll(/\D/g, '') })
    const answer = await askProgram('/local/pair', { method: 'POST', body })
    const entering = answer.status === 200 ? onPaired(answer.body) : undefined
    if (entering !== undefined) return await entering
    const { is, triesLeft } = answer.body
    if (is === 'wrong' && typeof triesLeft === 'number') return setFault({ is, triesLeft })
    setFault({ is: 'over' })
    await askCode()
  }

  return (
    <Frame title={text[title]}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run(pair)
        }}
      >
        <p>{text[explain](serverUrl)}</p>
        {error !== undefined && <Failed error={error} />}
        {fault?.is === 'refused' && <Notice tone="bad">{text.codesRefused}</Notice>}
        <CodeField
          label={text.code}
          code={code}
          onCode={setCode}
          isNumeric
          field={field}
          fault={
            fault?.is === 'wrong' ? text.codeWrong(fault.triesLeft) : fault?.is === 'over' ? text.codeOver : undefined
          }
        />
        <Button kind="primary" submits busy={isBusy}>
          {text.pair}
        </Button>
      </form>
    </Frame>
  )
}

/** Has nothing to press: whatever has the port now would answer. */
export function ClosedPage({ look: { Frame } }: Pick<PairPageProps, 'look'>) {
  const text = useText(localTexts)
  useEffect(() => {
    document.title = text.closedTitle
  }, [text])
  return (
    <Frame title={text.closedTitle} wide>
      <p>{text.closedExplain}</p>
    </Frame>
  )
}
