#!/usr/bin/perl
# An SMSC on the codec of Debian's libnet-smpp-perl, which knows nothing of ours.
#
#   smsc.pl <system id> <password> [same|hexToDec|decToHex [<port>]]
#
# Listens on that port of 127.0.0.1, or on a free one, one process for each connection. Every line of its output is one thing that happened:
#
#   port <port>
#   connection <pid>               a connection was made, which this process serves
#   bind <command> <status>        who asked for a bind, and the answer's status
#   submit <id> <source> <destination> <esm_class in hex> <data_coding> <validity> <message in hex>
#   unbind
#
# The last digit of the destination decides: 0 to 4 DELIVRD, 5 UNDELIV, 6 EXPIRED, 7 REJECTD, 8 ESME_RTHROTTLED, 9 no receipt. Receipts come
# 20 ms later. A phone writes back what comes from the senders ECHO and 15550000001, and from ECHOBACK with its parts in the other order. The third argument says how receipts write the ids that the answers had in hex or in decimal.
use strict;
use warnings;
use IO::Select;
use Net::SMPP;
use POSIX qw(strftime);
use Time::HiRes qw(time);

my ($user, $password, $ids, $port) = @ARGV;
$ids ||= 'same';

my %OUTCOMES = (
    5 => ['UNDELIV', '011', 5],
    6 => ['EXPIRED', '001', 3],
    7 => ['REJECTD', '021', 8],
);
my $RECEIPT_SECONDS = 0.02;

sub say_line { syswrite STDOUT, "@_\n"; }

my $listener = Net::SMPP->new_listen('127.0.0.1', port => $port || 0, smpp_version => 0x34, interface_version => 0x34)
    or die "cannot listen: $!";
$SIG{CHLD} = 'IGNORE';
say_line('port', $listener->sockport);

while (1) {
    my $session = $listener->accept or next;
    my $pid = fork;
    die "cannot fork: $!" unless defined $pid;
    if ($pid == 0) {
        close $listener;
        say_line('connection', $$);
        serve($session);
        exit 0;
    }
    close $session;
}

sub serve {
    my ($session) = @_;
    $session->set_version(0x34);
    my $select = IO::Select->new($session);
    my $is_bound = 0;
    my $count = 0;
    my (@receipts, @answers);
    while (1) {
        my ($next) = sort { $a <=> $b } map { $_->{at} } @receipts, @answers;
        my $wait = defined $next ? $next - time : undef;
        $wait = 0 if defined $wait && $wait < 0;
        if ($select->can_read($wait)) {
            my $pdu = $session->read_pdu or return;
            my $cmd = $pdu->{cmd};
            my %seq = (seq => $pdu->{seq});
            if ($cmd == 1 || $cmd == 2 || $cmd == 9) {
                $is_bound = $pdu->{system_id} eq $user && $pdu->{password} eq $password;
                my %answer = (%seq, system_id => 'PERLSMSC', status => $is_bound ? 0 : 0x0e);
                $session->bind_receiver_resp(%answer) if $cmd == 1;
                $session->bind_transmitter_resp(%answer) if $cmd == 2;
                $session->bind_transceiver_resp(%answer) if $cmd == 9;
                say_line('bind', $cmd, $answer{status});
            } elsif ($cmd == 4) {
                my $digit = substr $pdu->{destination_addr}, -1;
                my $status = !$is_bound ? 4 : $digit eq '8' ? 0x58 : 0;
                my $number = $$ * 1_000_000 + ++$count;
                my ($id, $receipt_id) = $ids eq 'hexToDec' ? (sprintf('%X', $number), $number)
                    : $ids eq 'decToHex' ? ($number, sprintf('%x', $number)) : ($number, $number);
                say_line('submit', $id, $pdu->{source_addr}, $pdu->{destination_addr}, sprintf('%02x', $pdu->{esm_class}),
                    $pdu->{data_coding}, $pdu->{validity_period} || '-', unpack('H*', $pdu->{short_message}) || '-');
                $session->submit_sm_resp(%seq, status => $status, message_id => $status ? '' : $id);
                push @receipts, { at => time + $RECEIPT_SECONDS, id => $receipt_id, digit => $digit, pdu => $pdu }
                    if $status == 0 && $digit ne '9' && ($pdu->{registered_delivery} & 1);
                my $back = $pdu->{source_addr} eq 'ECHOBACK';
                push @answers, { at => time + ($back ? 0.5 - 0.05 * @answers : $RECEIPT_SECONDS), pdu => $pdu }
                    if $status == 0 && ($back || $pdu->{source_addr} =~ /^(ECHO|15550000001)$/);
            } elsif ($cmd == 0x15) {
                $session->enquire_link_resp(%seq);
            } elsif ($cmd == 6) {
                say_line('unbind');
                $session->unbind_resp(%seq);
                return;
            }
        }
        while (@receipts && $receipts[0]{at} <= time) { deliver($session, shift @receipts); }
        my @due = sort { $a->{at} <=> $b->{at} } grep { $_->{at} <= time } @answers;
        for my $answer (@due) {
            answer($session, $answer->{pdu});
            @answers = grep { $_ != $answer } @answers;
        }
    }
}

# What a phone writes: the text that it got, as it came.
sub answer {
    my ($session, $pdu) = @_;
    my %sar = map { defined $pdu->{$_} ? ($_ => $pdu->{$_}) : () } qw(sar_msg_ref_num sar_total_segments sar_segment_seqnum);
    $session->deliver_sm(
        async => 1,
        source_addr => $pdu->{destination_addr},
        destination_addr => $pdu->{source_addr},
        esm_class => $pdu->{esm_class} & 0x40,
        data_coding => $pdu->{data_coding},
        short_message => $pdu->{short_message},
        %sar,
    );
}

sub deliver {
    my ($session, $receipt) = @_;
    my ($stat, $error, $state) = @{ $OUTCOMES{ $receipt->{digit} } || ['DELIVRD', '000', 2] };
    my $date = strftime('%y%m%d%H%M', gmtime);
    my $dlvrd = $stat eq 'DELIVRD' ? '001' : '000';
    $session->deliver_sm(
        async => 1,
        source_addr => $receipt->{pdu}{destination_addr},
        destination_addr => $receipt->{pdu}{source_addr},
        esm_class => 4,
        short_message =>
            "id:$receipt->{id} sub:001 dlvrd:$dlvrd submit date:$date done date:$date stat:$stat err:$error text:",
        receipted_message_id => "$receipt->{id}\0",
        message_state => pack('C', $state),
    );
}
