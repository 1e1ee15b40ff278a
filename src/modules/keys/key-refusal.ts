/** How a start ends whose secret key is a wrong one. By itself, as every command knows it and few open a database. */
import { StartError } from '../../kernel/process/start-error.ts';

/** The secret key is not the one of the database. */
export class KeyRefusal extends StartError {}
