import { QueryClientProvider } from '@tanstack/react-query';
import { queryClient } from '../data/queries.js';
import { Toasts } from '../ui/toast.js';
import { Shell } from './shell.js';

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Shell />
      <Toasts />
    </QueryClientProvider>
  );
}
