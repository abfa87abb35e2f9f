import { countText } from '@blindkeep/protocol/counts'
import { formatInstant } from '@blindkeep/protocol/ids'
import type { Message } from '../../ports/messenger.ts'
import type { Landings } from '../../ports/store.ts'

export interface MessageText {
  readonly title: string
  readonly body: string
}

/** What a person reads. `host` names the server; there is no address to click on, as an honest message needs none. */
export function textOf(message: Message, host: string): MessageText {
  switch (message.about) {
    case 'landings':
      return landingsText(message, host)
    case 'test':
      return {
        title: 'Test',
        body: `This is a test from ${host}. Messages like this one will say that files have arrived.`,
      }
    case 'code':
      return {
        title: `Code ${message.code}`,
        body: `The code for this address is ${message.code}. Enter it under Account on ${host}, and messages here will say that files have arrived.\n\nIf you did not ask for this, ignore it: without the code, no message about files comes here.`,
      }
  }
}

function landingsText({ count, isNearlyFull, isRefused, lastAt }: Landings, host: string): MessageText {
  const arrived = `${countText(count, 'file has', 'files have')} arrived`
  const when = `${formatInstant(lastAt).slice(0, 16).replace('T', ' ')} UTC`
  const titles = [
    count > 0 && arrived,
    isRefused && 'A guest could not send a file',
    isNearlyFull && 'Your inbox is nearly full',
  ]
  const sentences = [
    count > 0 && `${arrived} in your inbox on ${host}${count === 1 ? '' : ', the last one'} at ${when}.`,
    isRefused && `A guest could not send a file to your inbox on ${host}, because there was no room for it.`,
    isNearlyFull && `Your inbox on ${host} is nearly full: take files out before guests are refused.`,
  ]
  return { title: titles.find((title) => title !== false) ?? '', body: sentences.filter(Boolean).join(' ') }
}
