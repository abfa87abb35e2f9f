/** The controls of all pages. Each gives its name, its hint and its fault to assistive technology. */
import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon, type IconName } from './icons.tsx'

interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick?: ((event: MouseEvent) => void) | undefined
  readonly kind?: 'primary' | 'danger' | 'quiet' | undefined
  readonly icon?: IconName | undefined
  /** Inside a form: submits it. */
  readonly submits?: boolean | undefined
  readonly disabled?: boolean | undefined
  /** Shows a spinner and accepts no second click. */
  readonly busy?: boolean | undefined
  readonly describedBy?: string | undefined
  /** The action and its object, where the words on the button name only the action. */
  readonly label?: string | undefined
  /** Keys that press it (`aria-keyshortcuts`). */
  readonly keys?: string | undefined
  /** Shows and hides more of the element with this id. */
  readonly expands?: { readonly id: string; readonly isExpanded: boolean } | undefined
}

export function Button(props: ButtonProps) {
  const { children, onClick, kind, icon, submits, disabled, busy, describedBy, label, keys, expands } = props
  return (
    <button
      type={submits === true ? 'submit' : 'button'}
      class={`button ${kind ?? ''}`}
      disabled={disabled === true || busy === true}
      aria-busy={busy === true}
      aria-describedby={describedBy}
      aria-label={label}
      title={label}
      aria-keyshortcuts={keys}
      aria-controls={expands?.id}
      aria-expanded={expands?.isExpanded}
      onClick={onClick}
    >
      {busy === true ? <span class="spinner" aria-hidden="true" /> : icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  )
}

interface IconButtonProps {
  readonly icon: IconName
  /** The action and its object: "Cancel photo.jpg". */
  readonly label: string
  readonly onClick: () => void
  readonly disabled?: boolean | undefined
  /** Keys that press it (`aria-keyshortcuts`). */
  readonly keys?: string | undefined
}

export function IconButton({ icon, label, onClick, disabled, keys }: IconButtonProps) {
  return (
    <button
      type="button"
      class="button quiet icon"
      aria-label={label}
      title={label}
      aria-keyshortcuts={keys}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

interface FieldProps {
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
  /** What is wrong with the value, and how to correct it. */
  readonly fault?: string | undefined
  /** Renders the input with the id that the label names and with its descriptions. */
  readonly children: (input: {
    readonly id: string
    readonly 'aria-describedby': string
    readonly 'aria-invalid': boolean
  }) => JSX.Element
}

export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': fault !== undefined })}
      <div id={`${id}-hint`}>
        {hint !== undefined && <div class="hint">{hint}</div>}
        {fault !== undefined && <div class="fault">{fault}</div>}
      </div>
    </div>
  )
}

interface CheckProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly children: ComponentChildren
  readonly disabled?: boolean | undefined
}

export function Check({ checked, onChange, children, disabled }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  )
}

const NOTICE_ICONS = { info: 'info', good: 'check', warn: 'alert', bad: 'alert' } as const

interface NoticeProps {
  readonly tone: keyof typeof NOTICE_ICONS
  readonly children: ComponentChildren
}

/** An important message. A bad one interrupts a screen reader, the others wait for a pause. */
export function Notice({ tone, children }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={NOTICE_ICONS[tone]} />
      <div class="grow stack tight">{children}</div>
    </div>
  )
}

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly closeLabel: string
  readonly children: ComponentChildren
}

/** A modal dialog, open while it is rendered. The browser keeps the focus inside and closes it on Escape. */
export function Dialog({ title, onClose, closeLabel, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const id = useId()
  // Before the browser paints, so that no key press reaches the page behind it.
  useLayoutEffect(() => {
    const shown = dialog.current
    const before = document.activeElement
    shown?.showModal()
    return () => {
      shown?.close()
      ignoreRestOfClick()
      // The browser does not restore the focus itself, because the dialog has already left the page.
      const isNowhere = document.activeElement === document.body
      if (isNowhere && before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  useFirstFocus(body)
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      // Browsers close it all the same on a second Escape without a click between them (HTML, close watchers).
      onClose={() => dialog.current?.showModal()}
    >
      <div class="stack" ref={body}>
        <div class="row apart">
          <h2 id={id} class="grow">
            {title}
          </h2>
          <IconButton icon="close" label={closeLabel} onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  )
}

/** The last part of a dialog, in sight however long it is: first what the dialog is for, last the way back. */
export function DialogEnd({ children }: { readonly children: ComponentChildren }) {
  return <div class="dialog-end row">{children}</div>
}

/** The second click of a double click that closed a dialog is not meant for what was behind it. */
function ignoreRestOfClick(): void {
  const ignore = (event: MouseEvent) => {
    if (event.detail < 2) return removeEventListener('click', ignore, true)
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', ignore, true)
}

const FIELDS = 'input:not([hidden], [type=hidden], :disabled), select:not(:disabled), textarea:not(:disabled)'

/**
 * A dialog begins at its first field; without one at the button that changes nothing if another one destroys something,
 * or at the main button. The browser would begin at the button that closes. Content that comes later counts until the
 * person has done something.
 */
function useFirstFocus(body: RefObject<HTMLElement | null>): void {
  const isTouched = useRef(false)
  useEffect(() => {
    const touch = () => {
      isTouched.current = true
    }
    for (const event of ['keydown', 'input', 'pointerdown', 'click']) body.current?.addEventListener(event, touch)
  }, [])
  useLayoutEffect(() => {
    if (isTouched.current || body.current === null) return
    const target = firstFieldIn(body.current) ?? safeButtonIn(body.current)
    if (target !== null && target !== document.activeElement) target.focus()
  })
}

/** Of a group of radio buttons, the checked one. */
function firstFieldIn(body: HTMLElement): HTMLElement | undefined {
  const fields = [...body.querySelectorAll<HTMLElement>(FIELDS)]
  const [first] = fields
  return first?.matches('[type=radio]') === true ? (fields.find((one) => one.matches(':checked')) ?? first) : first
}

function safeButtonIn(body: HTMLElement): HTMLElement | null {
  const dangerous = body.querySelector('.button.danger')
  if (dangerous === null) return body.querySelector<HTMLElement>('.button.primary:not(:disabled)')
  return dangerous.parentElement?.querySelector<HTMLElement>('.button:not(.danger, :disabled)') ?? null
}

/** Another person's name, isolated so that it cannot turn the text around it (Unicode TR 9). */
export function Name({ children }: { readonly children: string }) {
  return <bdi>{children}</bdi>
}

interface ProgressProps {
  readonly label: string
  /** Left out while it is unknown. */
  readonly value?: number | undefined
  readonly max?: number | undefined
}

export function Progress({ label, value, max = 1 }: ProgressProps) {
  return value === undefined ? <progress aria-label={label} /> : <progress aria-label={label} value={value} max={max} />
}
