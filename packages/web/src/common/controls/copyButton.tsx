import { useEffect, useState } from 'preact/hooks'
import { Button } from './controls.tsx'

interface CopyButtonProps {
  readonly text: string
  readonly label: string
  readonly copiedLabel: string
  /** Says how to copy by hand when the browser refuses. */
  readonly failedLabel: string
  readonly kind?: 'primary' | 'quiet' | undefined
}

const SHOWN_MS = 4000

export function CopyButton({ text, label, copiedLabel, failedLabel, kind }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'none' | 'copied' | 'failed'>('none')
  useEffect(() => {
    if (outcome === 'none') return undefined
    const timer = setTimeout(() => setOutcome('none'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setOutcome('copied')
    } catch {
      // The clipboard is missing without HTTPS, and an administrator can forbid it.
      setOutcome('failed')
    }
  }
  return (
    <>
      <Button kind={kind} icon={outcome === 'copied' ? 'check' : 'copy'} onClick={() => void copy()}>
        {outcome === 'copied' ? copiedLabel : label}
      </Button>
      <span role="status" class={outcome === 'failed' ? 'small' : 'visually-hidden'}>
        {outcome === 'copied' && copiedLabel}
        {outcome === 'failed' && failedLabel}
      </span>
    </>
  )
}
