import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls.tsx'
import { askProgram } from '../../common/localPage.ts'
import { useText } from '../../common/reader.ts'
import { CodeField } from '../account/codeField.tsx'
import { SignedOutFrame } from '../account/signedOutFrame.tsx'
import { ErrorNotice } from '../errorNotice.tsx'
import { useAction } from '../useAction.ts'
import { type PairedAccount, pairedAccountIn } from './localSession.ts'
import { localTexts } from './texts.ts'

interface PairPageProps {
  readonly serverUrl: string
  readonly onPaired: (account: PairedAccount) => Promise<void>
}

type Fault = { readonly is: 'wrong'; readonly triesLeft: number } | { readonly is: 'over' | 'refused' }

/** Asks for the code that the terminal shows. There is no password on a local page: any program could show one. */
export function PairPage({ serverUrl, onPaired }: PairPageProps) {
  const text = useText(localTexts)
  const [code, setCode] = useState('')
  const [fault, setFault] = useState<Fault>()
  const action = useAction()
  const field = useRef<HTMLInputElement>(null)
  const askCode = async () => {
    const { status } = await askProgram('/local/code', { method: 'POST' })
    if (status !== 200) setFault({ is: 'refused' })
  }
  useEffect(() => {
    field.current?.focus()
    void action.run(askCode)
  }, [])
  useEffect(() => field.current?.select(), [fault])

  const pair = async () => {
    const body = JSON.stringify({ code: code.replaceAll(/\D/g, '') })
    const answer = await askProgram('/local/pair', { method: 'POST', body })
    const account = answer.status === 200 ? pairedAccountIn(answer.body) : undefined
    if (account !== undefined) return await onPaired(account)
    const { is, triesLeft } = answer.body
    if (is === 'wrong' && typeof triesLeft === 'number') return setFault({ is, triesLeft })
    setFault({ is: 'over' })
    await askCode()
  }

  return (
    <SignedOutFrame title={text.pairTitle}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void action.run(pair)
        }}
      >
        <p>{text.pairExplain(serverUrl)}</p>
        {action.error !== undefined && <ErrorNotice error={action.error} />}
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
        <Button kind="primary" submits busy={action.isBusy}>
          {text.pair}
        </Button>
      </form>
    </SignedOutFrame>
  )
}

/** Has nothing to press: whatever has the port now would answer. */
export function ClosedPage() {
  const text = useText(localTexts)
  useEffect(() => {
    document.title = text.closedTitle
  }, [text])
  return (
    <SignedOutFrame title={text.closedTitle} wide>
      <p>{text.closedExplain}</p>
    </SignedOutFrame>
  )
}
