import type { OwnLink } from '@blindkeep/client/owner'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { Button, Name, Notice } from '../../common/controls/controls.tsx'
import { Icon, type IconName } from '../../common/controls/icons.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { More } from '../dialogs/moreButtons.tsx'
import { linksTexts } from '../ground/texts.ts'
import { CapBars } from './linkCaps.tsx'
import { labelOf } from './linkLabel.ts'

const ICONS = { show: 'link', edit: 'edit', copy: 'copy', revoke: 'trash' } as const satisfies Record<string, IconName>

/** The address of a link that takes no files is not given on. A link that is used up or revoked stays so. */
const ACTS = {
  live: ['show', 'edit', 'copy', 'revoke'],
  expired: ['edit', 'copy', 'revoke'],
  spent: ['copy'],
  revoked: ['copy'],
} as const satisfies Record<OwnLink['state'], readonly LinkAct[]>

export type LinkAct = keyof typeof ICONS

interface LinkCardProps {
  readonly link: OwnLink
  readonly nowMs: number
  readonly onAct: (act: LinkAct) => void
  readonly onDismiss: () => void
}

export function LinkCard({ link, nowMs, onAct, onDismiss }: LinkCardProps) {
  const text = useText(linksTexts)
  const label = labelOf(link, text)
  return (
    <li class={`card stack tight link-card ${link.state}`}>
      <div class="row apart">
        <h3 class="grow">
          <Name>{label}</Name>
        </h3>
        <StateBadge link={link} />
      </div>
      {link.labelFault !== undefined && <p class="badge warn">{text.labelFault}</p>}
      {link.titleFault !== undefined && <p class="badge warn">{text.titleFault}</p>}
      <GuestsRead link={link} />
      <GuestsAsked link={link} />
      <Facts link={link} nowMs={nowMs} />
      <Use link={link} />
      <Refused link={link} nowMs={nowMs} label={label} onDismiss={onDismiss} />
      <div class="row">
        {link.pending > 0 && (
          <a class="button quiet" href={`#/inbox?link=${link.opaqueId}`}>
            <Icon name="inbox" />
            {text.pending(link.pending)}
          </a>
        )}
        <Actions link={link} label={label} onAct={onAct} />
      </div>
    </li>
  )
}

function GuestsRead({ link: { title, message, from } }: Pick<LinkCardProps, 'link'>) {
  const text = useText(linksTexts)
  const lines = [title, message, from].filter((line) => line !== undefined)
  if (lines.length === 0) return null
  return (
    <p class="small">
      {text.guestsRead}{' '}
      {lines.map((line, at) => (
        <span key={line}>
          {at > 0 && ' · '}
          <Name>{line}</Name>
        </span>
      ))}
    </p>
  )
}

function GuestsAsked({ link: { questions = [], fileKinds } }: Pick<LinkCardProps, 'link'>) {
  const text = useText(linksTexts)
  if (questions.length === 0 && fileKinds === undefined) return null
  return (
    <>
      {questions.length > 0 && (
        <p class="small">
          {text.guestsAsked}{' '}
          {questions.map(({ label, required }, at) => (
            <span key={label}>
              {at > 0 && ' · '}
              <Name>{label}</Name>
              {!required && ` (${text.guestsMay})`}
            </span>
          ))}
        </p>
      )}
      {fileKinds !== undefined && <p class="small">{text.kindsWanted(fileKinds.join(', '))}</p>}
    </>
  )
}

function StateBadge({ link: { state, isFull } }: Pick<LinkCardProps, 'link'>) {
  const { states } = useText(linksTexts)
  if (state === 'live' && isFull)
    return (
      <span class="badge warn">
        <Icon name="alert" />
        {states.full}
      </span>
    )
  return (
    <span class={`badge ${state === 'live' ? 'good' : ''}`}>
      <Icon name={state === 'live' ? 'check' : state === 'spent' ? 'file' : 'lock'} />
      {states[state]}
    </span>
  )
}

function Actions({ link, label, onAct }: Pick<LinkCardProps, 'link' | 'onAct'> & { readonly label: string }) {
  const text = useText(linksTexts).acts
  const [first, ...others] = ACTS[link.state].map((act) => (
    <Button key={act} kind={act === 'show' ? undefined : 'quiet'} icon={ICONS[act]} onClick={() => onAct(act)}>
      <span aria-hidden="true">{text[act].name}</span>
      <span class="visually-hidden">{text[act].of(label)}</span>
    </Button>
  ))
  return (
    <div class="row actions">
      {first}
      {others.length > 0 && <More of={label}>{others}</More>}
    </div>
  )
}

type RefusedProps = Omit<LinkCardProps, 'onAct'> & { readonly label: string }

function Refused({ link: { refused }, nowMs, label, onDismiss }: RefusedProps) {
  const text = useText(linksTexts).refused
  if (refused === undefined) return null
  return (
    <Notice tone="warn">
      <p>
        <strong>{text.title}</strong>. <When instant={refused.lastAt} words={text.last} nowMs={nowMs} />
      </p>
      <ul class="small">
        {refused.reasons.map(({ why, count }) => (
          <li key={why}>{text.why[why](text.times(count))}</li>
        ))}
      </ul>
      <Button kind="quiet" onClick={onDismiss}>
        <span aria-hidden="true">{text.dismiss.name}</span>
        <span class="visually-hidden">{text.dismiss.of(label)}</span>
      </Button>
    </Notice>
  )
}

function Facts({ link, nowMs }: Pick<LinkCardProps, 'link' | 'nowMs'>) {
  const text = useText(linksTexts)
  const format = useText(formats)
  const { createdAt, expiresAt, singleUse, caps } = link
  const isOver = expiresAt !== undefined && millisecondsOf(expiresAt) <= nowMs
  return (
    <ul class="dotted small soft">
      <li>{text.created(format.instant(createdAt))}</li>
      {expiresAt !== undefined ? (
        <li>
          <When instant={expiresAt} words={isOver ? text.expired : text.expires} nowMs={nowMs} />
        </li>
      ) : (
        link.state === 'live' && <li>{text.neverExpires}</li>
      )}
      {singleUse && <li>{text.singleUse}</li>}
      {link.passphraseRequired && <li>{text.withPassphrase}</li>}
      {caps.maxFileSize !== undefined && <li>{text.fileSizeMax(format.bytes(caps.maxFileSize))}</li>}
    </ul>
  )
}

/** Beyond two days, the date is shown instead of the distance. */
const MAX_DISTANCE_MS = 2 * 86_400_000

interface WhenProps extends Pick<LinkCardProps, 'nowMs'> {
  readonly instant: string
  /** Makes the sentence around the time. */
  readonly words: (when: string) => string
}

function When({ instant, words, nowMs }: WhenProps) {
  const format = useText(formats)
  const isNear = Math.abs(millisecondsOf(instant) - nowMs) < MAX_DISTANCE_MS
  const exact = format.instant(instant)
  return (
    <time dateTime={instant} title={exact}>
      {words(isNear ? format.distance(instant, nowMs) : exact)}
    </time>
  )
}

function Use({ link }: Pick<LinkCardProps, 'link'>) {
  const text = useText(linksTexts)
  const format = useText(formats)
  const { landedFiles, landedBytes, openSessions, openBytes } = link
  return (
    <>
      <CapBars link={link} />
      <p class="small">
        {landedFiles > 0
          ? text.arrived(landedFiles, format.bytes(landedBytes))
          : link.state === 'live'
            ? text.nothingYet
            : text.nothingCame}
      </p>
      {openSessions > 0 && (
        <p class="small row under-way">
          <Icon name="upload" />
          {text.underWay(openSessions, format.bytes(openBytes))}
        </p>
      )}
    </>
  )
}
