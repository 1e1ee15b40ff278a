import { enableDevMode } from 'graphql';

// Without it graphql reports a second copy of itself as a puzzling type error, and only where it is used.
enableDevMode();
