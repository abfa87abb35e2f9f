import type { Quota } from '@blindkeep/client/owner'
import { Notice, Progress } from '../../common/controls/controls.tsx'
import { type Formats, formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { type StorageText, storageTexts } from '../ground/texts.ts'
import { fillOf, QUOTA_TONES } from './quota.ts'
import { useQuota } from './useQuota.ts'

/** Appears above every page while the quota needs the owner's attention. */
export function QuotaBanner() {
  const { value } = useQuota()
  const text = useText(storageTexts).quota
  const format = useText(formats)
  if (value === undefined || value.state === 'ok') return null
  const { title, meaning } = text.states[value.state]
  return (
    <div class="banner no-print">
      <Notice tone={QUOTA_TONES[value.state]}>
        <p>
          <strong>{title}</strong>
          {fillOf(value) !== undefined && ` · ${usedWords(value, text, format)}`}
        </p>
        <p class="small">{meaning}</p>
        <p>
          <a href="#/storage">{text.toPage}</a>
        </p>
      </Notice>
    </div>
  )
}

export function QuotaCard() {
  const { value, error, reload } = useQuota()
  const text = useText(storageTexts).quota
  const format = useText(formats)
  return (
    <section class="card stack no-print" aria-labelledby="quota-heading" aria-busy={value === undefined}>
      <h2 id="quota-heading">{text.heading}</h2>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {value !== undefined && <QuotaMeter quota={value} />}
      {value !== undefined && (
        <p>
          {value.bin > 0 && text.inBin(format.bytes(value.bin))} <a href="#/bin">{text.toBin}</a>
        </p>
      )}
      <p class="small soft">{text.what}</p>
    </section>
  )
}

function QuotaMeter({ quota }: { readonly quota: Quota }) {
  const text = useText(storageTexts).quota
  const format = useText(formats)
  const fill = fillOf(quota)
  const { title, meaning } = text.states[quota.state]
  if (fill === undefined)
    return (
      <p>
        <strong class="figure">{text.usedUnlimited(format.bytes(quota.used))}</strong>
        <br />
        <span class="soft">{text.unlimited}</span>
      </p>
    )
  return (
    <div class="stack tight">
      <p class="row apart">
        <strong class="figure">{usedWords(quota, text, format)}</strong>
        <span class="soft">
          {format.percent(fill.used, fill.limit)} · {fill.left === 0 ? text.none : text.left(format.bytes(fill.left))}
        </span>
      </p>
      <div class={`meter ${QUOTA_TONES[quota.state]}`}>
        <Progress label={text.bar} value={Math.min(fill.used, fill.limit)} max={Math.max(1, fill.limit)} />
      </div>
      {quota.state === 'ok' ? (
        <p class="small soft">
          {title}.{fill.soft !== undefined && ` ${text.soft(format.bytes(fill.soft))}`}
        </p>
      ) : (
        <Notice tone={QUOTA_TONES[quota.state]}>
          <p>
            <strong>{title}</strong>
          </p>
          <p>{meaning}</p>
        </Notice>
      )}
    </div>
  )
}

function usedWords(quota: Quota, text: StorageText['quota'], format: Formats): string {
  const fill = fillOf(quota)
  const used = format.bytes(quota.used)
  return fill === undefined ? text.usedUnlimited(used) : text.used(used, format.bytes(fill.limit))
}
