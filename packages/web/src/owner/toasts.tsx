/** Short messages about what was done. A failure stays until dismissed; others disappear after seconds. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import { Button, IconButton } from '../common/controls/controls.tsx'
import { Icon } from '../common/controls/icons.tsx'
import { useText } from '../common/language/reader.ts'
import type { OwnerPages } from './ground/ownerPages.ts'
import { ownerTexts } from './ground/texts.ts'

type Message = Parameters<OwnerPages['showMessage']>[0]

interface Toast extends Message {
  readonly id: number
}

/** More would hide the page; the oldest are removed first. */
const MAX_TOASTS = 4
const SHOWN_MS = 7_000
/** With a button, which takes a decision. */
const ACTION_SHOWN_MS = 20_000
const ICONS = { good: 'check', bad: 'alert', info: 'info' } as const

interface Toasts {
  readonly toasts: readonly Toast[]
  readonly showMessage: (message: Message) => void
  readonly dismiss: (id: number) => void
  readonly clear: () => void
}

export function useToasts(): Toasts {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const showMessage = useCallback(
    (message: Message) =>
      setToasts((last) => [...last, { ...message, id: (last.at(-1)?.id ?? 0) + 1 }].slice(-MAX_TOASTS)),
    [],
  )
  const dismiss = useCallback((id: number) => setToasts((last) => last.filter((toast) => toast.id !== id)), [])
  const clear = useCallback(() => setToasts([]), [])
  return { toasts, showMessage, dismiss, clear }
}

/** Always in the page, even when empty: screen readers announce only changes of an existing live region. */
export function ToastList({ toasts, dismiss }: Pick<Toasts, 'toasts' | 'dismiss'>) {
  const ownerText = useText(ownerTexts)
  return (
    <section class="toasts no-print" aria-label={ownerText.messages}>
      <div role="alert">
        {toasts
          .filter(({ tone }) => tone === 'bad')
          .map((toast) => (
            <ToastCard key={toast.id} toast={toast} dismiss={dismiss} />
          ))}
      </div>
      <div role="status">
        {toasts
          .filter(({ tone }) => tone !== 'bad')
          .map((toast) => (
            <ToastCard key={toast.id} toast={toast} dismiss={dismiss} />
          ))}
      </div>
    </section>
  )
}

interface ToastCardProps {
  readonly toast: Toast
  readonly dismiss: (id: number) => void
}

function ToastCard({ toast, dismiss }: ToastCardProps) {
  const ownerText = useText(ownerTexts)
  const [isHeld, setHeld] = useState(false)
  const { id, tone, text, link, action } = toast
  useEffect(() => {
    if (tone === 'bad' || isHeld) return
    const timer = setTimeout(() => dismiss(id), action === undefined ? SHOWN_MS : ACTION_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id, tone, isHeld])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only keeps the message open; the button acts
    <div
      class={`toast notice ${tone}`}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      <Icon name={ICONS[tone]} />
      <p class="grow">
        {text}{' '}
        {link !== undefined && (
          <a href={link.href} onClick={() => tone !== 'bad' && dismiss(id)}>
            {link.text}
          </a>
        )}
      </p>
      {action !== undefined && (
        <Button
          kind="quiet"
          onClick={() => {
            dismiss(id)
            action.run()
          }}
        >
          {action.text}
        </Button>
      )}
      <IconButton icon="close" label={ownerText.dismiss} onClick={() => dismiss(id)} />
    </div>
  )
}
