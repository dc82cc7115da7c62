import { QueryClientProvider } from '@tanstack/react-query';
import { queryClient } from '../data/queries.js';
import { Toasts } from '../ui/toast.js';
import { Fallback } from './fallback.js';
import { LeaveQuestion } from './leave-question.js';
import { Shell } from './shell.js';

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Fallback of="page">
        <Shell />
      </Fallback>
      <LeaveQuestion />
      <Toasts />
    </QueryClientProvider>
  );
}
