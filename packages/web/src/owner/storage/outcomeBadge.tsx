import { Icon, type IconName } from '../../common/controls/icons.tsx'
import type { Tone } from './outcomes.ts'

const ICONS: Readonly<Record<Tone, IconName>> = { good: 'check', info: 'info', warn: 'pause', bad: 'alert' }

/** The words carry the meaning; colour and icon repeat it. */
export function OutcomeBadge({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={ICONS[tone]} />
      {children}
    </span>
  )
}
