/** Which files are meant, and in which order: the same options wherever there are many. */
import { FILE_KINDS, SORT_ORDERS, type SortOrder } from '@blindkeep/client/find'
import { type Command, Option } from 'commander'
import { pastTime, size } from '../ground/options.ts'

export function withFilters(command: Command): Command {
  return command
    .addOption(new Option('--kind <kind>', 'by the ending of the name, or its media type').choices(FILE_KINDS))
    .option('--from <sender>', 'as the guest says')
    .option('--since <time>', 'not older than this: a duration, a day or a time', pastTime)
    .option('--until <time>', 'older than this', pastTime)
    .option('--larger <size>', 'at least so large', size)
    .option('--smaller <size>', 'at most so large', size)
}

/** `otherwise`: the order without it. Undefined if that is none of these. */
export function withOrder(command: Command, otherwise?: SortOrder): Command {
  const order = new Option('--sort <order>', 'the order').choices(SORT_ORDERS)
  return command.addOption(otherwise === undefined ? order : order.default(otherwise))
}
