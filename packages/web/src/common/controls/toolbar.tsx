/** Buttons that are one tab stop: the arrow keys reach the others (ARIA Authoring Practices, toolbar). */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface ToolbarProps {
  readonly label: string
  readonly class: string
  readonly children: ComponentChildren
}

/** By how many buttons a key moves the focus. */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }

export function Toolbar({ label, class: name, children }: ToolbarProps) {
  const bar = useRef<HTMLDivElement>(null)
  const buttons = () => [...(bar.current?.querySelectorAll<HTMLButtonElement>('button:not(:disabled)') ?? [])]
  const offer = (offered: HTMLButtonElement | undefined) => {
    for (const button of bar.current?.querySelectorAll('button') ?? []) button.tabIndex = button === offered ? 0 : -1
  }
  useLayoutEffect(() => {
    const all = buttons()
    offer(all.find((button) => button.tabIndex === 0 && button === document.activeElement) ?? all[0])
  })
  return (
    <div
      ref={bar}
      role="toolbar"
      aria-label={label}
      class={name}
      onKeyDown={(event) => {
        const [step, all] = [STEPS[event.key], buttons()]
        const from = all.findIndex((button) => button.matches(':focus'))
        if (step === undefined || from === -1) return
        event.preventDefault()
        const next = all[Math.min(all.length - 1, Math.max(0, from + step))]
        offer(next)
        next?.focus()
      }}
    >
      {children}
    </div>
  )
}
