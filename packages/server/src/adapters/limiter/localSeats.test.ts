import { seatsContract } from '../../contracts/seats.ts'
import { createLocalSeats } from './localSeats.ts'

seatsContract('seats in memory', (work) => () => work(createLocalSeats()))
