"""The names of the settings of ``slurm.conf``, of 17.02 to 26.05 [SlurmConf]_, in lower case.

What stands in a file and not here is listed as unknown, so that a typing error is seen.

.. [SlurmConf] SchedMD, "slurm.conf", https://slurm.schedmd.com/slurm.conf.html.
"""

__all__ = ["KNOWN_SETTINGS", "KNOWN_WORDS"]

_NAMES = """
accountingstoragebackuphost accountingstorageenforce accountingstorageexternalhost accountingstoragehost
accountingstorageloc accountingstorageparameters accountingstoragepass accountingstorageport
accountingstoragetres accountingstoragetype accountingstorageuser accountingstoreflags
accountingstorejobcomment acctgatherenergytype acctgatherfilesystemtype acctgatherinfinibandtype
acctgatherinterconnecttype acctgathernodefreq acctgatherprofiletype allowspecresourcesusage authaltparameters
authalttypes authinfo authtype backupaddr backupcontroller batchstarttimeout bcastexclude bcastparameters
burstbuffertype cachegroups certgenparameters certgentype certmgrparameters certmgrtype checkpointtype
clifilterparameters clifilterplugins clustername communicationparameters completewait controladdr
controlmachine corespecplugin cpufreqdef cpufreqgovernors credtype cryptotype dataparserparameters debugflags
defaultstoragehost defaultstorageloc defaultstoragepass defaultstorageport defaultstoragetype
defaultstorageuser defcpupergpu defmempercpu defmempergpu defmempernode dependencyparameters disablerootjobs
eiotimeout enforcepartlimits epilog epilogmsgtime epilogslurmctld epilogtimeout extsensorsfreq extsensorstype
fairsharedampeningfactor fastschedule federationparameters firstjobid getenvtimeout gpufreqdef grestypes
groupupdateforce groupupdatetime hashplugin healthcheckinterval healthchecknodestate healthcheckprogram
httpparsertype inactivelimit interactivestepoptions jobacctgatherfrequency jobacctgatherparams
jobacctgathertype jobcheckpointdir jobcomphost jobcomploc jobcompparams jobcomppass jobcompport jobcomptype
jobcompuser jobcontainerplugin jobcontainertype jobcredentialprivatekey jobcredentialpubliccertificate
jobdefaults jobfileappend jobrequeue jobsubmitplugins keepalivetime killonbadexit killwait launchparameters
launchtype layouts licenseparameters licenses logtimeformat maildomain mailprog maxarraysize maxbatchrequeue
maxdbdmsgs maxjobcount maxjobid maxmempercpu maxmempernode maxnodecount maxstepcount maxtaskspernode
mcsparameters mcsplugin memlimitenforce messagetimeout metricsauthusers metricsparameters metricstype
minjobage mpidefault mpiparams mpitype msgaggregationparams namespaceplugin namespacetype nodefeaturesplugins
overtimelimit plugindir plugstackconfig powerparameters powerplugin preemptexempttime preemptmode
preemptparameters preempttype prepparameters prepplugins prioritycalcperiod prioritydecayhalflife
priorityfavorsmall priorityflags prioritymaxage priorityparameters prioritysitefactorparameters
prioritysitefactorplugin prioritytype priorityusageresetperiod priorityweightage priorityweightassoc
priorityweightfairshare priorityweightjobsize priorityweightpartition priorityweightqos priorityweighttres
privatedata proctracktype prolog prologepilogtimeout prologflags prologslurmctld prologtimeout
propagateprioprocess propagateresourcelimits propagateresourcelimitsexcept rebootprogram reconfigflags
requeueexit requeueexithold resumefailprogram resumeprogram resumerate resumetimeout resvepilog resvoverrun
resvprolog returntoservice routeplugin sallocdefaultcommand sbcastparameters schedulerauth schedulerparameters
schedulerport schedulerrootfilter schedulertimeslice schedulertype scronparameters selecttype
selecttypeparameters slurmctldaddr slurmctlddebug slurmctldhost slurmctldhttpauthparameters slurmctldlogfile
slurmctldparameters slurmctldpidfile slurmctldplugstack slurmctldport slurmctldprimaryoffprog
slurmctldprimaryonprog slurmctldsyslogdebug slurmctldtimeout slurmddebug slurmdhttpauthparameters
slurmdlogfile slurmdparameters slurmdpidfile slurmdport slurmdspooldir slurmdsyslogdebug slurmdtimeout
slurmduser slurmschedlogfile slurmschedloglevel slurmuser srunepilog srunportrange srunprolog
statesavelocation suspendexcnodes suspendexcparts suspendexcstates suspendprogram suspendrate suspendtime
suspendtimeout switchparameters switchtype taskepilog taskplugin taskpluginparam taskprolog tcptimeout
tlsparameters tlstype tmpfs topologyparam topologyplugin trackwckey treewidth unkillablestepprogram
unkillablesteptimeout urlparsertype usepam vsizefactor waittime x11parameters
"""
KNOWN_SETTINGS = frozenset(_NAMES.split())

_OF_NODES = """
nodename nodehostname nodeaddr bcastaddr boards corespeccount corespersocket cpubind cpus cpuspeclist features feature
gres memspeclimit port procs realmemory reason restrictedcorespergpu sockets socketsperboard state suspendtime
threadspercore tmpdisk topology weight parameters
"""
_OF_PARTITIONS = """
partitionname allocnodes allowaccounts allowgroups allowqos alternate cpubind default defcpupergpu defmempercpu
defmempergpu defmempernode defaulttime denyaccounts denyqos disablerootjobs exclusive exclusivetopo exclusiveuser
gracetime hidden jobdefaults lln maxcpuspernode maxcpuspersocket maxmempercpu maxmempernode maxnodes maxtime minnodes
nodes overtimelimit oversubscribe powerdownonidle preemptmode priority priorityjobfactor prioritytier qos reqresv
resumetimeout rootonly selecttypeparameters shared state suspendtime suspendtimeout tresbillingweights topology
"""
#: First word of a line -> the words that may stand in it.
KNOWN_WORDS = {
    "nodename": frozenset(_OF_NODES.split()),
    "partitionname": frozenset(_OF_PARTITIONS.split()),
    "nodeset": frozenset({"nodeset", "feature", "nodes"}),
    "downnodes": frozenset({"downnodes", "reason", "state"}),
    "poweraction": frozenset({"poweraction", "location", "program"}),
    "frontendname": frozenset(
        {"frontendname", "frontendaddr", "port", "reason", "state"}
        | {"allowgroups", "allowusers", "denygroups", "denyusers"}
    ),
}
